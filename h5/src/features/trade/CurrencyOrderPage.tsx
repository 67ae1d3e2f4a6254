export default function CurrencyOrderPage() {
  return <main />;
}
