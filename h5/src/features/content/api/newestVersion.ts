import { command } from '@/lib/api/client';
import { commonSetting } from '@/lib/api/schema/commonCalls';

/** `wgt,80`: the kind of the newest update and its code; undefined when nobody answered, which the user has been told. */
export async function newestVersion(): Promise<string | undefined> {
  const reply = await command(commonSetting, { keyword: 'version' });
  return reply.ok ? (reply.message?.value ?? '') : undefined;
}
