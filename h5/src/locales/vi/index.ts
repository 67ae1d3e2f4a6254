/** One language: its files in one chunk, by their names, but for those that come with their pages (`lib/i18n`). */
export default import.meta.glob<Record<string, unknown>>(
  ['./*.json', '!./{convert,coupon,protection,reserves,verification}.json'],
  {
    eager: true,
    import: 'default',
  },
);
