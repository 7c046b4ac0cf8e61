/** The site a link leads to, as people name it; nothing for a link that names no site. */
export function hostOf(link: string): string {
  return URL.canParse(link) ? new URL(link).hostname.replace(/^www\./, '') : ''
}
