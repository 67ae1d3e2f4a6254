import { Agreement } from './Agreement';
import text from './agreement.zh.json';

export default function FollowAgreementZhPage() {
  return <Agreement language="zh" {...text} />;
}
