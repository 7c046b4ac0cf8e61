/** AUTO_TOP_UP: the payment methods that the shop may charge automatically if a customer agrees. */
import type { ProcessorSettings } from '#payments/adapters'
import { type Env, list, SettingFault } from './settings.env.ts'

/** The methods whose processors can save a payment method for later charges. */
const chargeable = ['card', 'yookassa'] as const

/**
 * Empty unless it is set: YooKassa has to permit it for the shop first, and the public offer has to mention
 * it. A demo has its own payment method. Throws `SettingFault` for a method that cannot charge automatically
 * or is not configured.
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
