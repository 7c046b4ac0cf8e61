import { CallError } from '#contract/client'

/** Why signing in by a code failed; each is the key of a text. */
export type TelegramFault =
  | 'invalid'
  | 'unknown'
  | 'bad'
  | 'often'
  | 'failed'
  | 'noToken'
  | 'noProfile'
  | 'badToken'
  | 'profileFailed'

const ofStatus: Readonly<Record<number, TelegramFault>> = {
  422: 'invalid',
  404: 'unknown',
  400: 'bad',
  429: 'often',
}

/** Of the code itself. */
export function codeFault(error: unknown): TelegramFault {
  return (error instanceof CallError ? ofStatus[error.status] : undefined) ?? 'failed'
}

/** Of the profile, once the code was exchanged for a token. */
export function profileFault(error: unknown): TelegramFault {
  return error instanceof CallError && error.status === 401 ? 'badToken' : 'profileFailed'
}
