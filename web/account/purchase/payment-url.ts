/** The URL of a payment page; null for anything but http and https, which the browser must not open. */
export function paymentUrl(text: string): string | null {
  const url = URL.parse(text.trim())
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
