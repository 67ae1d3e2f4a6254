/** The app's own icon. */
export function AppMark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 44 44" aria-hidden="true">
      <rect width="44" height="44" rx="13" fill="#2a64fb" />
      <path d="M13 27V17M22 31V13M31 24V20" stroke="#fff" strokeWidth="4.5" strokeLinecap="round" />
    </svg>
  );
}
