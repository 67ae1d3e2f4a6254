/** Which outside pages may show inside the app: http(s) on the own host or on a host that the server names. */
export function allowedUrl(url: string, hosts: readonly string[]): string | null {
  if (!URL.canParse(url, window.location.origin)) return null;
  const parsed = new URL(url, window.location.origin);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return null;
  return parsed.host === window.location.host || hosts.includes(parsed.host) ? parsed.href : null;
}

/** The hosts of addresses that the site's configuration names. */
export function hostsOf(urls: readonly (string | undefined)[]): string[] {
  return urls.filter((url): url is string => Boolean(url) && URL.canParse(url ?? '')).map((url) => new URL(url).host);
}
