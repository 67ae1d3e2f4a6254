import { BindContact } from './BindContact';

export default function BindEmailPage() {
  return <BindContact kind="email" />;
}
