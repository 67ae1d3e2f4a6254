// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, text } from '../shape';

export interface UploadUploadFields {
  file: string;
  /** In the address. document: for a verification; it is shown to reviewers alone. chat: for a conversation; it is shown to its user and to who answers. */
  kind?: 'document' | 'chat';
}

/** `POST /api/upload` */
export const uploadUpload: CallShape<UploadUploadFields, string> = describeCall('POST', '/upload', text);
