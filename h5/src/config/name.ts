/** What the product is called: in the document's title, in the manifest and in the app. */
export const APP_NAME = 'Meridian';
