export default function CurrencyPage() {
  return <main />;
}
