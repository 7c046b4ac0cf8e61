/** The virtual authenticator of Chromium (the domain WebAuthn of its DevTools protocol). */
import type { CDPSession, Page } from '@playwright/test'

export interface VirtualAuthenticator {
  cdp: CDPSession
  authenticatorId: string
}

/**
 * Adds a built-in authenticator, such as a fingerprint reader, to the page's machine. Its owner always
 * touches it; `isUserVerified` says whether it recognises the owner.
 */
export async function newAuthenticator(page: Page, isUserVerified = true): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}
