import { CallError } from '#contract/client'
import { StartError, type StartFailure } from './start-session.ts'

/** Why signing in with a code failed; each is the key of a text. */
export type TelegramError = 'invalid' | 'unknown' | 'bad' | 'often' | 'failed' | StartFailure

const byStatus: Readonly<Record<number, TelegramError>> = {
  422: 'invalid',
  404: 'unknown',
  400: 'bad',
  429: 'often',
}

export function telegramErrorOf(error: unknown): TelegramError {
  if (error instanceof StartError) return error.failure
  return (error instanceof CallError ? byStatus[error.status] : undefined) ?? 'failed'
}
