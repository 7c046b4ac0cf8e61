/** AUTO_TOP_UP: the payment methods that customers may let the shop charge without them. */
import type { ProcessorSettings } from '#payments/adapters'
import { type Env, list, SettingFault } from './settings.env.ts'

/** Those whose processors save payment methods. */
const chargeable = ['card', 'yookassa'] as const

/**
 * Empty unless it is set: YooKassa has to allow it to the shop first, and the public offer has to say it. A
 * demo has its own payment method. Throws `SettingFault` for a method that cannot, or has no settings.
 */
export function readAutomatic(
  env: Env,
  { payments, demo }: { payments: ProcessorSettings; demo: boolean },
): ReadonlySet<string> {
  const names = list(env, 'AUTO_TOP_UP')
  for (const name of names) {
    const known = chargeable.find((each) => each === name)
    if (known === undefined)
      throw new SettingFault(`AUTO_TOP_UP lists ${chargeable.join(' and ')}; “${name}” is neither.`)
    if (payments[known] === null)
      throw new SettingFault(`AUTO_TOP_UP names ${name}, which has no settings: set its keys, or remove it.`)
  }
  return new Set(demo ? ['sandbox', ...names] : names)
}
