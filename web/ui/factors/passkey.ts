/** Passkeys in the browser (WebAuthn level 3). */
import { useSyncExternalStore } from 'react'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

type Json = Record<string, unknown>

/** Fetched when the first passkey is used. */
const webauthn = () => import('@simplewebauthn/browser')

export const isPasskeySupported = (): boolean => typeof window.PublicKeyCredential === 'function'

const never = () => () => undefined

/** The same for components. The server renders as if passkeys were supported, as in nearly all browsers. */
export const usePasskeySupport = (): boolean => useSyncExternalStore(never, isPasskeySupported, () => true)

/** Signs the server's challenge with a passkey. */
export async function provePasskey(options: Json): Promise<Json> {
  const { startAuthentication } = await webauthn()
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return { ...(await startAuthentication({ optionsJSON })) }
}

/** Makes a new passkey for the server's challenge. */
export async function createPasskey(options: Json): Promise<Json> {
  const { startRegistration } = await webauthn()
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return { ...(await startRegistration({ optionsJSON })) }
}

/** Whether the person closed the browser's dialog, or it timed out. */
export const isPasskeyDeclined = (error: unknown): boolean =>
  error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)
