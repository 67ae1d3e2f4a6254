import { Agreement } from './Agreement';
import text from './agreement.en.json';

export default function FollowAgreementEnPage() {
  return <Agreement language="en" {...text} />;
}
