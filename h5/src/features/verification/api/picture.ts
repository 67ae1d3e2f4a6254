import { describeFailure } from '@/lib/api/client';
import { uploadPicture } from '@/lib/api/upload';

/** What became of an upload: the picture's reference, or why there is none. */
export type Sent = { reference: string } | { why: string };

export async function sendPicture(picture: Blob, signal: AbortSignal, tell: (part: number) => void): Promise<Sent> {
  try {
    const reply = await uploadPicture(picture, { kind: 'document', signal, onProgress: tell });
    return reply.ok ? { reference: reply.message } : { why: reply.text };
  } catch (cause) {
    return { why: describeFailure(cause) };
  }
}
