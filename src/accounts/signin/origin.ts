import type { Context } from '#db/call'

/** Where a sign-in comes from. */
export interface Origin {
  ip: string
  /** The client's User-Agent; null: it sent none. */
  userAgent: string | null
  /** ISO 3166-1; null: not known. */
  country: string | null
  /** The secrets of devices that the browser holds, of any account; none: a program, or a new browser. */
  devices?: readonly string[]
  /** Sets the cookie with the secret that identifies the browser from now on. */
  keepDevice?: (secret: string) => void
}

/** The origin of a request. */
export function originOf({ ip, userAgent, country, browser, setHeader }: Context): Origin {
  if (browser === null) return { ip, userAgent, country }
  const { devices, cookieWith } = browser
  return {
    ip,
    userAgent,
    country,
    devices,
    keepDevice: (secret) => setHeader('set-cookie', cookieWith(secret)),
  }
}
