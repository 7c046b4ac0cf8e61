/**
 * The account behind a person in Telegram: created with their first message to the bot, or linked to an
 * account of the site. An account made here has neither a name nor an e-mail nor a password; its owner signs
 * in by codes of the bot.
 */
import { createHmac } from 'node:crypto'
import type { LanguageCode } from '#contract/language'
import { transaction, type Db } from '#db'
import { balancesOfUser } from '#ledger'
import { Refusal } from '#lib/refusal'
import { type Secrets, sameBytes } from '#lib/secret'
import { blockColumns, blockedRefusal } from './blocking.ts'
import { findInviter, newRefCode } from './person.ts'
import { tellOfChange } from './signin/tell.ts'
import { leaveAndTell, mayUnlinkTelegram } from './telegram.own.ts'
import { lockPerson } from './telegram.person.ts'

export { agreeInTelegram, hasAgreed } from './consent/consent.ts'
export { type SecurityNotice, securityNoticeTask } from './signin/tell.ts'
export {
  isToldOfSignIns,
  mayUnlinkTelegram,
  noteQuestion,
  openQuestion,
  ownerInTelegram,
  setToldOfSignIns,
  type SignInNotice,
  signInNoticeTask,
  unlinkTelegram,
  whoIsTold,
} from './telegram.own.ts'

export interface TelegramAccount {
  id: bigint
  lang: LanguageCode
  /** Null for an account that was made by the bot. */
  username: string | null
  /** The refusal of every request of a blocked customer; null: they are not blocked. */
  blocked: Refusal | null
}

/** The account of a person in Telegram, or null when they have never written to the bot. */
export async function telegramAccount(db: Db, telegramUserId: bigint): Promise<TelegramAccount | null> {
  const row = await db
    .selectFrom('telegram_identity')
    .innerJoin('account', 'account.id', 'telegram_identity.account_id')
    .select(['account.id', 'account.lang', 'account.username', 'account.blocked_at', ...blockColumns])
    .where('telegram_identity.telegram_user_id', '=', telegramUserId)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    id: row.id,
    lang: row.lang as LanguageCode,
    username: row.username,
    blocked: row.blocked_at === null ? null : blockedRefusal(row),
  }
}

export interface Arrival {
  telegramUserId: bigint
  lang: LanguageCode
  /** The referral code of the inviter; an unknown one is ignored. */
  referralCode: string | null
}

/**
 * Finds the account of a person in Telegram, or creates one. Any number of processes may do so concurrently:
 * there will be one account. An inviter counts only for a new account.
 */
export function arriveByTelegram(
  db: Db,
  { telegramUserId, lang, referralCode }: Arrival,
): Promise<{ account: TelegramAccount; isNew: boolean; referralKnown: boolean }> {
  return transaction(db, async (tx) => {
    await lockPerson(tx, telegramUserId)
    const known = await telegramAccount(tx, telegramUserId)
    if (known !== null) return { account: known, isNew: false, referralKnown: true }
    const inviter = referralCode === null ? undefined : await findInviter(tx, referralCode)
    const { id } = await tx
      .insertInto('account')
      .values({ lang, ref_code: newRefCode(), invited_by: inviter?.id ?? null })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('telegram_identity')
      .values({ telegram_user_id: telegramUserId, account_id: id })
      .execute()
    const account = { id, lang, username: null, blocked: null }
    return { account, isNew: true, referralKnown: referralCode === null || inviter !== undefined }
  })
}

/** A code is valid for the quarter of an hour in which it was shown and the whole next one. */
const windowMs = 15 * 60_000

export interface LinkCode {
  /** 41 to 55 characters that fit into a `t.me/<bot>?start=` link. */
  code: string
  expiresAt: Date
}

/**
 * The code by which a signed-in customer proves to the bot that the account is theirs (`/start link_<code>`),
 * or null when the account has a linked Telegram already. Nothing is stored: the code is a MAC, the same for
 * all processes until it expires; a new password invalidates it. Disclosed to the customer only, never to a
 * reseller token.
 */
export function telegramLinkCode(
  secrets: Secrets,
  account: { id: bigint; passwordHash: string | null; isBlocked: boolean; isLinked: boolean },
  now: Date,
): LinkCode | null {
  if (account.isBlocked || account.isLinked) return null
  const window = Math.floor(now.getTime() / windowMs)
  return {
    code: linkCode(secrets, { accountId: account.id, window, passwordHash: account.passwordHash }),
    expiresAt: new Date((window + 2) * windowMs),
  }
}

interface LinkFacts {
  accountId: bigint
  window: number
  passwordHash: string | null
}

function linkCode(secrets: Secrets, { accountId, window, passwordHash }: LinkFacts): string {
  const mac = createHmac('sha256', secrets.derive('telegram link code'))
    .update(`${accountId}:${window}:${passwordHash ?? ''}`)
    .digest('hex')
    .slice(0, 32)
  return `${accountId.toString(36)}-${window.toString(36)}-${mac}`
}

async function accountToLink(db: Db, accountId: bigint) {
  const row = await db
    .selectFrom('account')
    .leftJoin('telegram_identity', 'telegram_identity.account_id', 'account.id')
    .select([
      'account.username',
      'account.password_hash',
      'account.blocked_at',
      'telegram_identity.telegram_user_id',
    ])
    .where('account.id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined || row.blocked_at !== null) return null
  return {
    username: row.username,
    passwordHash: row.password_hash,
    telegramUserId: row.telegram_user_id,
    isLinked: row.telegram_user_id !== null,
  }
}

/** The account that a link code refers to. Refuses with `telegram_link_invalid`. */
async function readLinkCode(db: Db, secrets: Secrets, code: string, now: Date) {
  const [, account36 = '', window36 = ''] = /^([0-9a-z]{1,13})-([0-9a-z]{1,8})-[0-9a-f]{32}$/.exec(code) ?? []
  if (account36 === '') throw new Refusal('telegram_link_invalid')
  const accountId = fromBase36(account36)
  const window = Number.parseInt(window36, 36)
  const age = Math.floor(now.getTime() / windowMs) - window
  // An id outside the range of the database's integers cannot exist.
  const account = accountId < 2n ** 63n ? await accountToLink(db, accountId) : null
  if (account === null || (age !== 0 && age !== 1)) throw new Refusal('telegram_link_invalid')
  const right = linkCode(secrets, { accountId, window, passwordHash: account.passwordHash })
  if (!sameBytes(Buffer.from(code), Buffer.from(right))) throw new Refusal('telegram_link_invalid')
  return { id: accountId, ...account }
}

function fromBase36(text: string): bigint {
  let number = 0n
  for (const digit of text) number = number * 36n + BigInt(Number.parseInt(digit, 36))
  return number
}

/**
 * The account that a person is about to link, for a confirmation: the link may come from an attacker. Refuses
 * with `telegram_link_invalid`, `telegram_link_taken`, `telegram_has_account`.
 */
export async function previewTelegramLink(
  db: Db,
  secrets: Secrets,
  { telegramUserId, code }: { telegramUserId: bigint; code: string },
  now: Date,
): Promise<{ id: bigint; username: string | null; isLinked: boolean }> {
  const site = await readLinkCode(db, secrets, code, now)
  if (site.telegramUserId === telegramUserId) return { id: site.id, username: site.username, isLinked: true }
  if (site.isLinked) throw new Refusal('telegram_link_taken')
  await refuseToOrphan(db, telegramUserId)
  return { id: site.id, username: site.username, isLinked: false }
}

/**
 * Makes the account of a link code the account of this person in Telegram; its owner is told. A repetition
 * changes nothing. Refuses as `previewTelegramLink` does.
 */
export function linkTelegram(
  db: Db,
  secrets: Secrets,
  { telegramUserId, code }: { telegramUserId: bigint; code: string },
  now: Date,
): Promise<TelegramAccount> {
  return transaction(db, async (tx) => {
    await lockPerson(tx, telegramUserId)
    const site = await previewTelegramLink(tx, secrets, { telegramUserId, code }, now)
    if (!site.isLinked) {
      await leaveAndTell(tx, telegramUserId, now)
      const linked = await tx
        .insertInto('telegram_identity')
        .values({ telegram_user_id: telegramUserId, account_id: site.id, linked_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .returning('account_id')
        .executeTakeFirst()
      // Another person used the same code concurrently.
      if (linked === undefined) throw new Refusal('telegram_link_taken')
      await tellOfChange(tx, site.id, { event: 'telegram_linked', ip: null, inTelegram: false }, now)
    }
    const account = await telegramAccount(tx, telegramUserId)
    if (account === null) throw new Error('a just linked account does not exist')
    return account
  })
}

/**
 * Refuses to leave an account with a balance without any way to sign in, when a person moves to another
 * account. Refuses with `telegram_has_account`.
 */
async function refuseToOrphan(db: Db, telegramUserId: bigint): Promise<void> {
  if (await mayUnlinkTelegram(db, telegramUserId)) return
  const own = await db
    .selectFrom('telegram_identity')
    .select(['account_id as id', 'signed_in_at'])
    .where('telegram_user_id', '=', telegramUserId)
    .executeTakeFirst()
  if (own === undefined) return
  const invited = await db
    .selectFrom('account')
    .select('id')
    .where('invited_by', '=', own.id)
    .limit(1)
    .executeTakeFirst()
  const holdsAnything = (await balancesOfUser(db, own.id)).some(({ balance }) => balance > 0n)
  // An account that has signed in to the site may have an unpaid invoice.
  if (own.signed_in_at !== null || invited !== undefined || holdsAnything)
    throw new Refusal('telegram_has_account')
}
