/** The schemas of calls that act on many proxy users. */
import * as z from 'zod'
import { getProxyInput, pool, text, userNumber } from '../schemas.ts'
import { mostActed } from './calls.ts'
import { longestLabel, listedStates } from './rules.ts'
import { externalId, metadataFilter, userLogin } from './schemas.ts'

/** A proxy user by one of its names. */
const named = z.union([
  z.strictObject({ number: userNumber }),
  z.strictObject({ login: userLogin }),
  z.strictObject({ external_id: externalId }),
  z.strictObject({ label: z.string().max(longestLabel) }),
])

/** Either `users`, or `filter` with the pages of `get_proxy_users`. */
const choice = {
  users: z.array(named).min(1).max(mostActed).optional(),
  filter: z
    .strictObject({
      metadata: metadataFilter.optional(),
      state: z.enum(listedStates).exclude(['deleted']).optional(),
    })
    .optional(),
  /** Begins after this number; only for `filter`. */
  after: z
    .int()
    .min(0)
    .max(2 ** 33 - 1)
    .default(0),
  /** The most that `filter` chooses. */
  limit: z.int().min(1).max(mostActed).default(mostActed),
}

const acted = z.object({
  /** In the order of `users`, or of numbers. */
  users: z.array(
    z.object({
      /** Null: there is no such proxy user. */
      number: z.number().nullable(),
      login: z.string().nullable(),
      label: z.string().nullable(),
      external_id: z.string().nullable(),
      /** `unchanged`: it was so before. `named_twice`: an earlier place of `users` has it. */
      outcome: z.enum(['done', 'unchanged', 'user_not_found', 'named_twice']),
    }),
  ),
  /** How many were changed. */
  done: z.number(),
  /** The last entry before the next page of the filter; null: there is no next page. */
  next_after: z.number().nullable(),
})

const linesInput = z.strictObject({
  ...getProxyInput.omit({ proxy_user: true, pool: true }).shape,
  pool,
  ...choice,
})

export const manyUsersJson = { proxy_users_lines: z.object({ lines: z.array(z.string()) }) } as const

export const manyUsersSchemas = {
  freeze_proxy_users: { input: z.strictObject({ pool, ...choice, frozen: z.boolean() }), output: acted },
  delete_proxy_users: { input: z.strictObject({ pool, ...choice }), output: acted },
  proxy_users_lines: { input: linesInput, output: text },
} as const
