import { BindContact } from './BindContact';

export default function BindPhonePage() {
  return <BindContact kind="phone" />;
}
