/**
 * A picture as it is sent: a JPEG that is large enough to be read. Phones make pictures of more pixels than the server
 * takes, some of them in forms that only the phone can open, and write into them where they were taken.
 */

const MOST_PIXELS = 2_400;
const QUALITY = 0.9;

/** Rejects what the browser cannot open. */
export async function smallPicture(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PIXELS / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const small = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (!small) throw new Error('no picture');
  return small;
}
