/**
 * Logins and passwords of proxies: how they are made, stored, and announced to the gateways when they change.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { randomText, type Secrets, sha256 } from '#lib/secret'
import { aboutPassword } from './sealed.ts'

/** No vowels and no look-alikes: no words are formed, and a login can be dictated over the telephone. */
export const loginAlphabet = 'bcdfghjkmnpqrstvwxz23456789'
/** 16 of these are 95 random bits. None of them needs escaping in a URL or a shell. */
const passwordAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const passwordLength = 16

interface NewPassword {
  password: string
  password_sealed: Buffer
  password_sha256: Buffer
}

/** A new proxy password. */
export const randomPassword = (): string => randomText(passwordLength, passwordAlphabet)

/** A new proxy password, with the columns that store it, sealed for what `about` names. */
export function newPasswordAbout(secrets: Secrets, about: string): NewPassword {
  return chosenPasswordAbout(secrets, about, randomPassword())
}

/** As `newPasswordAbout`, of a password that a customer chose. */
export const chosenPasswordAbout = (secrets: Secrets, about: string, password: string): NewPassword => ({
  password,
  password_sealed: secrets.seal(password, about),
  password_sha256: sha256(password),
})

/** A new password of a pool, with the columns that store it. */
export const newPassword = (secrets: Secrets, key: { accountId: bigint; pool: string }): NewPassword =>
  newPasswordAbout(secrets, aboutPassword(key))

/** Notifies the gateways that cached data of a login is outdated. */
export const announceChange = (tx: Kysely<DB>, login: string): Promise<void> =>
  announce(tx, { type: 'account_changed', login })

/** Notifies the gateways that the settings of an account's slots are outdated, and nothing else of it. */
export const announceSlots = (tx: Kysely<DB>, login: string): Promise<void> =>
  announce(tx, { type: 'slots_changed', login })

async function announce(tx: Kysely<DB>, event: Parameters<typeof printAnnouncement>[0]): Promise<void> {
  await sql`select pg_notify(${feedChannel}, ${printAnnouncement(event)})`.execute(tx)
}
