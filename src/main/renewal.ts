/**
 * Takes over settings that staff change at the desk, in a running process: what was built of the settings is
 * built anew. A change that does not fit leaves everything as it is.
 */
import type { VariableGroup } from '#contract/desk/variables'
import { type Database, isDatabaseAway } from '#db'
import type { Secrets } from '#lib/secret'
import type { PaymentMethods } from '#payments'
import { readVariables, variablesChannel } from '#settings'
import { methodsOf } from './methods.ts'
import type { Log } from './process/log.ts'
import type { Stopper } from './process/stop.ts'
import { overruledGroups, takeOver } from './settings/settings.changeable.ts'
import { sourceInUse } from './settings/settings.source.ts'
import { SettingFault, type Settings } from './settings/settings.ts'

/** The changes of the settings that this process has taken over. */
export class Renewals {
  readonly #after: (() => void | Promise<void>)[] = []
  #version = 0
  /** Ends of renewals, one after the other. */
  #last: Promise<void> = Promise.resolve()

  /** Differs after each change. */
  get version(): number {
    return this.#version
  }

  /** Adds what is done after each change, in the order in which it was added. */
  add(renewal: () => void | Promise<void>): void {
    this.#after.push(renewal)
  }

  /**
   * Runs `change`, which tells whether the settings were taken over, and then what is done after it; waits
   * for the change before. One that fails stops no other one; the first failure is thrown at the end.
   */
  run(change: () => Promise<boolean>): Promise<void> {
    const next = this.#last.then(async () => {
      if (!(await change())) return
      this.#version++
      const failures: unknown[] = []
      for (const renewal of this.#after)
        try {
          await renewal()
        } catch (error) {
          failures.push(error)
        }
      if (failures.length > 0) throw failures[0]
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

/** What has become of the settings of the desk in this process. */
export interface Renewed {
  /** They do not fit the environment, so nothing has changed; null: they are in force. */
  fault: string | null
  /** The groups that the environment of this process sets as well, and so sets alone. */
  overruled: VariableGroup[]
}

/** Reads what staff have changed, and takes it over. */
export async function renewSettings(services: Renewable): Promise<Renewed> {
  const { settings, database, secrets, methods, log } = services
  let fault: string | null = null
  let overruled: VariableGroup[] = []
  await services.renewals.run(async () => {
    const { env } = sourceInUse()
    const variables = await readVariables(database.db, secrets)
    // The desk has set nothing, now as before.
    if (services.renewals.version === 0 && Object.keys(variables).length === 0) return false
    overruled = overruledGroups(env, variables)
    try {
      takeOver(settings, env, variables, process.cwd())
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      fault = error.message
      log.error(
        `a setting of the desk does not fit the environment, so no change of the desk is taken over: ${fault}`,
      )
      return false
    }
    methods.replace(methodsOf(services))
    return true
  })
  return { fault, overruled }
}

/** After this long a reading that failed is repeated. */
const againMs = 5_000

/**
 * Takes over each change from now on, and what has changed since the settings were read. Resolves when the
 * settings are those of the moment in which it began to listen.
 */
export async function watchVariables(services: Renewable, stopper: Stopper): Promise<void> {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  let told = ''
  const renew = async (): Promise<void> => {
    clearTimeout(timer)
    try {
      const groups = (await renewSettings(services)).overruled.join(', ')
      if (groups !== told && groups !== '')
        services.log.warn(
          { groups },
          'the environment of this process sets these groups of settings: what the desk has set is not used here',
        )
      told = groups
    } catch (error) {
      const said = { err: error }
      if (isDatabaseAway(error)) services.log.warn(said, 'changed settings cannot be read: tried again')
      else services.log.error(said, 'changed settings could not be taken over: tried again')
      clearTimeout(timer)
      if (!isOver) timer = setTimeout(() => void renew(), againMs).unref()
    }
  }
  const onChange = () => void renew()
  const end = await services.database.listen(variablesChannel, onChange, { onGap: onChange })
  stopper.add('changes of settings', async () => {
    isOver = true
    clearTimeout(timer)
    await end()
  })
  await renew()
}

/** Built of the settings: at once, and again at the first use after each change of them. */
export function renewedValue<T>({ renewals }: { renewals: Renewals }, build: () => T): () => T {
  let built = { version: renewals.version, value: build() }
  return () => {
    if (built.version !== renewals.version) built = { version: renewals.version, value: build() }
    return built.value
  }
}

type Functions = Record<string, (...parameters: never[]) => unknown>

/** Functions that are built anew after each change of the settings; callers keep the same object. */
export function renewed<T extends object>(services: { renewals: Renewals }, build: () => T): T {
  const current = renewedValue(services, build)
  return forwarding(Object.keys(current()), (name, parameters) =>
    (current() as Functions)[name]?.(...parameters),
  ) as T
}

/** The same of functions that return promises and whose building takes time. */
export async function renewedLater<T extends object>(
  { renewals }: { renewals: Renewals },
  build: () => Promise<T>,
): Promise<T> {
  let version = renewals.version
  let current = build()
  const names = Object.keys(await current)
  return forwarding(names, async (name, parameters) => {
    if (version !== renewals.version) {
      version = renewals.version
      current = build()
      // The next call builds it again.
      current.catch(() => (version = -1))
    }
    return ((await current) as Functions)[name]?.(...parameters)
  }) as T
}

function forwarding(names: string[], call: (name: string, parameters: never[]) => unknown): object {
  return Object.fromEntries(
    names.map((name) => [name, (...parameters: never[]) => call(name, parameters)] as const),
  )
}
