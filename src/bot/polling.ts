/**
 * Long polling by one process of many: the one that holds an advisory lock of the database. The others wait
 * for the lock, and one of them continues when the lock ends with its holder's connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Api, GrammyError } from 'grammy'
import type { Update } from 'grammy/types'
import { loggable, RefusedByTelegram } from './base/api.ts'
import type { BotLog } from './base/deps.ts'

export interface Polling {
  pool: pg.Pool
  botId: bigint
  api: Api
  /** Called before the first request to Telegram. */
  prepare: () => Promise<void>
  handle: (update: Update) => Promise<void>
  log: BotLog
  signal: AbortSignal
}

export const allowedUpdates = ['message', 'callback_query', 'pre_checkout_query'] as const

const askSeconds = 25
const standbyMs = 1_000
const firstWaitMs = 500
const longestWaitMs = 30_000

/** Requests updates and handles them until `signal` aborts. Any failure is retried, at growing intervals. */
export async function poll(polling: Polling): Promise<void> {
  const { signal, log } = polling
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    try {
      const isLeading = await leadOnce(polling, () => (waitMs = firstWaitMs))
      if (!isLeading) await pause(standbyMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn(loggable(error), sentenceOf(error))
      await pause(waitMs, signal)
      waitMs = Math.min(2 * waitMs, longestWaitMs)
    }
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof GrammyError && error.error_code === 409)
    return 'another program asks Telegram with the same TELEGRAM_BOT_TOKEN, or has set a webhook for it'
  const isRefused = error instanceof GrammyError && error.error_code === 401
  if (isRefused || error instanceof RefusedByTelegram) return 'Telegram refuses TELEGRAM_BOT_TOKEN'
  return 'the bot could not go on and tries again'
}

/** False when another process leads; otherwise polls until a failure or until it is stopped. */
async function leadOnce(polling: Polling, goesWell: () => void): Promise<boolean> {
  const connection = await polling.pool.connect()
  let isStandby = false
  try {
    const { rows } = await connection.query<{ mine: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as mine',
      [`telegram bot ${polling.botId}`],
    )
    isStandby = rows[0]?.mine !== true
    if (!isStandby) await lead(polling, connection, goesWell)
    return !isStandby
  } finally {
    // A leader's connection is closed, not returned to the pool: the lock ends with it.
    connection.release(!isStandby)
  }
}

async function lead(polling: Polling, connection: pg.PoolClient, goesWell: () => void): Promise<void> {
  const { api, signal } = polling
  await polling.prepare()
  let offset = 0
  while (!signal.aborted) {
    const updates = await api.getUpdates(
      { offset, timeout: askSeconds, allowed_updates: allowedUpdates },
      signal as Parameters<Api['getUpdates']>[1],
    )
    // Fails when the connection was lost, and the lock with it: another process may lead already.
    await connection.query('select')
    await handleAll(updates, polling.handle)
    goesWell()
    offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
  }
}

/**
 * The key by which updates are kept in order: their chat. A query before a payment has a key of its own, so
 * it waits for no other update: Telegram accepts its answer for ten seconds only.
 */
const chatOf = ({ message, callback_query: press, pre_checkout_query: checkout }: Update) =>
  message?.chat.id ?? press?.from.id ?? checkout?.id

/** Updates of one chat are handled in order, those of different chats concurrently. */
async function handleAll(updates: Update[], handle: (update: Update) => Promise<void>): Promise<void> {
  const byChat = Map.groupBy(updates, (update) => chatOf(update))
  const ends = await Promise.allSettled(
    [...byChat.values()].map(async (ofChat) => {
      for (const update of ofChat) await handle(update)
    }),
  )
  // Then nothing is confirmed to Telegram: it sends all updates again, and those already handled are
  // recognised.
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Woken by the signal, it has no result: the loop checks the signal itself.
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
