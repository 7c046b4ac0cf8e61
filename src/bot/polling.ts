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
import { UnderWay } from './under.way.ts'

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
/** How often updates are requested while others are being handled: Telegram sends these with every answer. */
const busyMs = 300
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
  const underWay = new UnderWay(polling.handle)
  try {
    while (!signal.aborted) {
      const { offset, isBusy } = underWay
      const updates = await api.getUpdates(
        { offset, timeout: isBusy ? 0 : askSeconds, allowed_updates: allowedUpdates },
        signal as Parameters<Api['getUpdates']>[1],
      )
      // Fails when the connection was lost, and the lock with it: another process may lead already.
      await connection.query('select')
      underWay.add(updates)
      // One chat that takes long, or to which Telegram answers late, delays the updates of others no longer.
      await underWay.idle(busyMs)
      // What a failed update is among is not confirmed: Telegram sends it again, and those that were handled
      // are recognised.
      underWay.assertHandled()
      goesWell()
    }
  } finally {
    await underWay.end()
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Woken by the signal, it has no result: the loop checks the signal itself.
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
