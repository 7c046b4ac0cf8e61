/** Settings that staff see and change. */
import * as z from 'zod'
import { amount, changed, empty, givenAmount, id, page, pageOf, reason, time } from '../schemas.ts'
import { setupStates, setupStepNames } from '../setup.ts'
import { settingNames } from '../shop-settings.ts'
import { testedGroups, variableGroupNames, variableNames } from '../variables.ts'

const name = z.enum(settingNames)

export const settings = z.object({
  /** Values are in the units of shop-settings.ts. */
  changeable: z.array(
    z.object({
      name,
      value: amount,
      source: z.enum(['environment', 'changed', 'default']),
      changed: z.object({ at: time, by: z.string() }).nullable(),
    }),
  ),
  /** The settings of the desk's own process; processes on other machines may have others. */
  environment: z.array(
    z.object({
      name: z.string(),
      source: z.enum(['environment', 'file', 'desk', 'default']),
      /** The desk never shows the value. */
      secret: z.boolean(),
      /** The value in force; null: not set, or a secret. */
      value: z.string().nullable(),
    }),
  ),
  /** The file that the settings were read from; null: the environment alone. */
  file: z.string().nullable(),
})

export const changeSettingInput = z.strictObject({
  name,
  /** Null: resets the setting to its default. */
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

/** The steps of the set-up in order; steps that do not apply to this shop are left out. */
export const setup = z.array(
  z.object({
    step: z.enum(setupStepNames),
    state: z.enum(setupStates),
    /** The findings of `turnpike doctor` for the step, in the language of the caller. */
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
    /** The numbers of what is open at the processor with the present keys. */
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
        /** The variable is set at the desk. */
        is_set: z.boolean(),
        /** The value set at the desk; null: not set, or a secret. */
        value: z.string().nullable(),
        /** The value in force in the process of the desk; null: not set, or a secret. */
        in_force: z.string().nullable(),
        changed: z.object({ at: time, by: z.string() }).nullable(),
      }),
    ),
  }),
)

export const changeVariablesInput = z.strictObject({
  group,
  /** Values by name; empty: removes the variable. Of those left out, secrets are kept and others removed. */
  values: z.record(z.string().max(64), z.string().max(2000)),
  /** Accepts a change to another account, or to none, although something is open at the present one. */
  leaves_open: z.boolean().default(false),
  reason,
})

export const testConnectionInput = z.strictObject({
  group: z.enum(testedGroups),
  /** The recipient of the test letter, for the group `mail`. */
  to: z.string().trim().max(320).optional(),
})

export const testConnection = z.object({
  is_good: z.boolean(),
  /** The result in the language of the caller. */
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
