/**
 * Takes over settings that staff change at the desk, in a running process: what was built of the settings is
 * built anew. A change that does not fit leaves everything as it is.
 */
import type { Database } from '#db'
import type { Secrets } from '#lib/secret'
import type { PaymentMethods } from '#payments'
import { readVariables, variablesChannel } from '#settings'
import { methodsOf } from './methods.ts'
import type { Log } from './process/log.ts'
import type { Stopper } from './process/stop.ts'
import { takeOver } from './settings/settings.changeable.ts'
import { sourceInUse } from './settings/settings.source.ts'
import { SettingFault, type Settings } from './settings/settings.ts'

/** What is done after each change of the settings, in the order in which it was added. */
export class Renewals {
  readonly #all: (() => void | Promise<void>)[] = []
  /** Ends of renewals, one after the other. */
  #last: Promise<void> = Promise.resolve()

  add(renewal: () => void | Promise<void>): void {
    this.#all.push(renewal)
  }

  /** Runs them all, after those of the change before. */
  run(change: () => Promise<void>): Promise<void> {
    const next = this.#last.then(async () => {
      await change()
      for (const renewal of this.#all) await renewal()
    })
    this.#last = next.catch(() => undefined)
    return next
  }
}

/** What a change of the settings renews. */
interface Renewable {
  settings: Settings
  log: Log
  database: Database
  secrets: Secrets
  methods: PaymentMethods
  sandboxSecret: Buffer
  renewals: Renewals
}

/** Reads what staff have changed, and takes it over. */
export function renewSettings(services: Renewable): Promise<void> {
  const { settings, database, secrets, methods, log } = services
  return services.renewals.run(async () => {
    const variables = await readVariables(database.db, secrets)
    try {
      takeOver(settings, sourceInUse().env, variables, process.cwd())
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      log.error(
        `a setting of the desk does not fit the environment, so none of them is used: ${error.message}`,
      )
      return
    }
    methods.replace(methodsOf(services))
  })
}

/** Takes over each change from now on. */
export async function watchVariables(services: Renewable, stopper: Stopper): Promise<void> {
  const renew = () =>
    void renewSettings(services).catch((error: unknown) =>
      services.log.error({ err: error }, 'changed settings could not be read'),
    )
  const end = await services.database.listen(variablesChannel, renew, { onGap: renew })
  stopper.add('changes of settings', end)
}

type Functions = Record<string, (...parameters: never[]) => unknown>

/** Functions that are built anew with each change of the settings; callers keep the same object. */
export function renewed<T extends object>({ renewals }: { renewals: Renewals }, build: () => T): T {
  let current = build()
  renewals.add(() => void (current = build()))
  return forwarding(() => current)
}

/** The same of functions whose building takes time. */
export async function renewedLater<T extends object>(
  { renewals }: { renewals: Renewals },
  build: () => Promise<T>,
): Promise<T> {
  let current = await build()
  renewals.add(async () => void (current = await build()))
  return forwarding(() => current)
}

function forwarding<T extends object>(current: () => T): T {
  const names = Object.keys(current())
  const call =
    (name: string) =>
    (...parameters: never[]) =>
      (current() as Functions)[name]?.(...parameters)
  return Object.fromEntries(names.map((name) => [name, call(name)])) as T
}
