/** Delivery of alerts: to the staff's group, and to members by mail. */
import type { Transaction } from 'kysely'
import { type AlertKind, alertRules, alertTopics } from '#contract/desk/alerts'
import type { DB } from '#db'
import { sendMail } from '#mail'
import { type Group, groupState, noteBroken } from './group.ts'
import type { Alert } from './lifecycle.ts'
import { itemsOf, type News } from './news.ts'
import { noteGivenUp, type OutMessage, queueMessage } from './outbox.ts'
import { readAlertSettings, recipients } from './settings.ts'
import { wordsOf } from './texts.ts'

export interface TellDeps {
  deskUrl: URL
  /** The shop has a bot. */
  hasBot: boolean
}

const takesMessages = (group: Group | null, { hasBot }: TellDeps): boolean =>
  hasBot && group !== null && group.brokenAt === null

type NewsOf = (alerts: readonly Alert[]) => News

/**
 * Sends alerts: to the group's topics, or together to its general topic, and to each member in one letter.
 */
export async function tellAlerts(
  tx: Transaction<DB>,
  deps: TellDeps,
  { alerts, about }: { alerts: readonly Alert[]; about: 'alerts' | 'held' },
  now: Date,
): Promise<void> {
  if (alerts.length === 0) return
  const newsOf: NewsOf = (some) => ({ about, items: itemsOf(some) })
  const isGroupTold = takesMessages(await groupState(tx), deps)
  if (isGroupTold) {
    const { groupOff } = await readAlertSettings(tx)
    const told = alerts.filter(({ kind }) => !groupOff.includes(kind))
    if (about === 'held' && told.length > 0) await queueMessage(tx, null, newsOf(told), now)
    if (about === 'alerts')
      for (const topic of alertTopics) {
        const some = told.filter(({ kind }) => alertRules[kind].topic === topic)
        if (some.length > 0) await queueMessage(tx, topic, newsOf(some), now)
      }
  }
  await mailEach(tx, deps, { isGroupTold }, (isFor) => {
    const some = alerts.filter(({ kind }) => isFor(kind))
    return some.length === 0 ? null : newsOf(some)
  })
}

/** Sends a message without a kind, such as the daily message: to the group, or else to the owners. */
export async function tellAll(tx: Transaction<DB>, deps: TellDeps, news: News, now: Date): Promise<void> {
  const isGroupTold = takesMessages(await groupState(tx), deps)
  if (isGroupTold) await queueMessage(tx, null, news, now)
  // The daily message contains sales: only members who may see payments get it.
  await mailEach(tx, deps, { isGroupTold }, (isFor) =>
    isFor('dispute') || news.about === 'test' ? news : null,
  )
}

/**
 * Mails each member the alerts that they have chosen. Without a group that accepts messages, owners get every
 * kind regardless of their settings: otherwise alerts might reach nobody.
 */
async function mailEach(
  tx: Transaction<DB>,
  deps: TellDeps,
  { isGroupTold }: { isGroupTold: boolean },
  newsFor: (isFor: (kind: AlertKind) => boolean) => News | null,
): Promise<void> {
  for (const { email, language, kinds, role } of await recipients(tx)) {
    const news = newsFor((kind) => kinds.includes(kind) || (role === 'owner' && !isGroupTold))
    if (news !== null) await mail(tx, deps, { email, language }, news)
  }
}

async function mail(
  tx: Transaction<DB>,
  { deskUrl }: TellDeps,
  { email: to, language }: { email: string; language: 'ru' | 'en' },
  news: News,
): Promise<void> {
  const { title: subject, lines, page } = wordsOf(news, language)
  const data = { subject, lines, href: new URL(page, deskUrl).href }
  await sendMail(tx, { template: 'staff_alert', to, language, data })
}

/**
 * Abandons a message to the group, and mails it to owners who have not been mailed it. `isBroken`: the group
 * accepts no messages at all, which is recorded.
 */
export async function mailInstead(
  tx: Transaction<DB>,
  deps: TellDeps,
  {
    message,
    chatId,
    reason,
    isBroken,
  }: { message: OutMessage; chatId: bigint; reason: string; isBroken: boolean },
  now: Date,
): Promise<void> {
  if (isBroken) await noteBroken(tx, { chatId, reason }, now)
  if (!(await noteGivenUp(tx, message.id, reason, now))) return
  const { news } = message
  if (news.about === 'linked') return
  for (const { email, language, role, kinds } of await recipients(tx)) {
    if (role !== 'owner') continue
    if (news.about === 'digest' || news.about === 'test') {
      if (!kinds.includes('dispute') && news.about === 'digest')
        await mail(tx, deps, { email, language }, news)
      continue
    }
    const items = news.items.filter(({ kind }) => !kinds.includes(kind))
    if (items.length > 0) await mail(tx, deps, { email, language }, { ...news, items })
  }
}
