/** Settings that staff see and change. */
import * as z from 'zod'
import { amount, changed, empty, givenAmount, id, page, pageOf, reason, time } from '../schemas.ts'
import { setupStates, setupStepNames } from '../setup.ts'
import { settingNames } from '../shop-settings.ts'
import { testedGroups, variableGroupNames, variableNames } from '../variables.ts'

const name = z.enum(settingNames)

export const settings = z.object({
  /** In the unit of shop-settings.ts. */
  changeable: z.array(
    z.object({
      name,
      value: amount,
      source: z.enum(['environment', 'changed', 'default']),
      changed: z.object({ at: time, by: z.string() }).nullable(),
    }),
  ),
  /** Of the desk's own process: other machines may have others. */
  environment: z.array(
    z.object({
      name: z.string(),
      source: z.enum(['environment', 'file', 'desk', 'default']),
      /** Of a secret only whether it is set is said. */
      secret: z.boolean(),
      /** What is in force; null: nothing, or a secret. */
      value: z.string().nullable(),
    }),
  ),
  /** The file that the settings were read from; null: the environment alone. */
  file: z.string().nullable(),
})

export const changeSettingInput = z.strictObject({
  name,
  /** Null: the default again. */
  value: givenAmount.nullable(),
  reason,
})

export const settingChangesInput = z.strictObject({ ...page, name: name.optional() })

export const settingChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    name,
    before: amount,
    after: amount,
    reason: z.string().nullable(),
  }),
)

/** The steps in their order; one that this shop does not have is left out. */
export const setup = z.array(
  z.object({
    step: z.enum(setupStepNames),
    state: z.enum(setupStates),
    /** What `turnpike doctor` finds of it, in the language of the caller. */
    findings: z.array(
      z.object({ level: z.enum(['ok', 'todo', 'warning', 'trouble']), sentence: z.string() }),
    ),
  }),
)

const group = z.enum(variableGroupNames)

export const variables = z.array(
  z.object({
    group,
    /** The environment sets the group, or a part of it: the desk cannot change it. */
    is_pinned: z.boolean(),
    /** What is open at the processor with the present keys. */
    open: z.object({
      invoices: z.int(),
      refunds: z.int(),
      disputes: z.int(),
      saved_methods: z.int(),
    }),
    variables: z.array(
      z.object({
        name: z.enum(variableNames),
        is_secret: z.boolean(),
        /** At the desk. */
        is_set: z.boolean(),
        /** As set at the desk; null: not set, or a secret. */
        value: z.string().nullable(),
        /** In the process of the desk; null: nothing, or a secret. */
        in_force: z.string().nullable(),
        changed: z.object({ at: time, by: z.string() }).nullable(),
      }),
    ),
  }),
)

export const changeVariablesInput = z.strictObject({
  group,
  /** By name; an empty text: not set any more. A secret that is left out stays as it is. */
  values: z.record(z.string().max(64), z.string().max(2000)),
  /** What is open at the processor may be left there: the keys lead to another account, or to none. */
  leaves_open: z.boolean().default(false),
  reason,
})

export const testConnectionInput = z.strictObject({
  group: z.enum(testedGroups),
  /** Of `mail`: where the letter goes. */
  to: z.string().trim().max(320).optional(),
})

export const testConnection = z.object({
  is_good: z.boolean(),
  /** In the language of the caller. */
  sentence: z.string(),
})

export const settingsDeskSchemas = {
  settings: { input: empty, output: settings },
  setting_changes: { input: settingChangesInput, output: settingChangesPage },
  change_setting: { input: changeSettingInput, output: changed },
  setup: { input: empty, output: setup },
  variables: { input: empty, output: variables },
  test_connection: { input: testConnectionInput, output: testConnection },
  change_variables: { input: changeVariablesInput, output: changed },
} as const
