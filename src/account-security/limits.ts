/** Limits on guessing second factors, counted for all API processes. */
import { accountSubject, type Limit } from '#accounts'
import { networkOf } from '#lib/ip'

/** Attempts from one address or IPv6 network, at any account. */
export const addressLimits = (ip: string): Limit[] => [
  { kind: 'factor_ip', subject: networkOf(ip), max: 50, windowMinutes: 15 },
]

/**
 * Wrong codes for an account, of all kinds together. Someone who knows the password guesses one of the three
 * six-digit codes valid at a time with a probability of 1 in 6,000 a day. Passkeys cannot be guessed, so an
 * attacker who uses up this limit does not lock out an owner who has a passkey.
 */
export const codeLimits = (accountId: bigint, ip: string): Limit[] => [
  { kind: 'factor_account', subject: accountSubject(accountId), max: 10, windowMinutes: 15 },
  { kind: 'factor_account_day', subject: accountSubject(accountId), max: 50, windowMinutes: 24 * 60 },
  ...addressLimits(ip),
]

/** The count that a right factor clears; the daily count is kept. */
export const clearedKinds = ['factor_account']
