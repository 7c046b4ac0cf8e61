/**
 * Takes over, in a running process, settings that staff change at the desk: what was built from the settings
 * is rebuilt. A change that does not fit the environment changes nothing.
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
  /** Resolves when the latest run has ended: runs follow each other. */
  #last: Promise<void> = Promise.resolve()

  /** The number of changes that were taken over. */
  get version(): number {
    return this.#version
  }

  /** Adds a function that runs after each change; functions run in the order in which they were added. */
  add(renewal: () => void | Promise<void>): void {
    this.#after.push(renewal)
  }

  /**
   * Waits for the previous run, then runs `change`, which returns whether the settings were taken over. If
   * so, runs the added functions: one that fails stops no other; the first failure is thrown at the end.
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

/** The parts of the services that a change of the settings needs or renews. */
interface Renewable {
  settings: Settings
  log: Log
  database: Database
  secrets: Secrets
  methods: PaymentMethods
  sandboxSecret: Buffer
  renewals: Renewals
}

/** The result of taking over the settings of the desk in this process. */
export interface Renewed {
  /** Why the settings do not fit the environment, so that nothing has changed; null: they are in force. */
  fault: string | null
  /** The groups that the environment of this process sets too: its values are used, not those of the desk. */
  overruled: VariableGroup[]
}

/** Reads what staff have changed, and applies it. */
export async function renewSettings(services: Renewable): Promise<Renewed> {
  const { settings, database, secrets, methods, log } = services
  let fault: string | null = null
  let overruled: VariableGroup[] = []
  await services.renewals.run(async () => {
    const { env } = sourceInUse()
    const variables = await readVariables(database.db, secrets)
    // The desk sets no variables and has set none before: there is nothing to take over.
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

/** The delay after which a failed attempt is repeated. */
const againMs = 5_000

/**
 * Takes over each change from now on, and before it resolves, changes made since the settings were first
 * read. A failed attempt is repeated in the background.
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

/** A value built from the settings: at once, and again at its first use after each change of them. */
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

/** As `renewed`, for functions that return promises and whose building takes time. */
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
      // After a failed build the next call builds again.
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
