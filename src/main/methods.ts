/** The payment methods that the settings name. */
import type { Secrets } from '#lib/secret'
import type { PaymentMethod } from '#payments'
import { processors, sandboxMethod } from '#payments/adapters'
import type { Settings } from './settings/settings.ts'

export function methodsOf({
  settings,
  secrets,
  sandboxSecret,
}: {
  settings: Pick<Settings, 'demo' | 'payments' | 'publicUrl'>
  secrets: Secrets
  sandboxSecret: Buffer
}): PaymentMethod[] {
  const { publicUrl } = settings
  return [
    ...(settings.demo ? [sandboxMethod({ publicUrl, secret: sandboxSecret })] : []),
    ...processors(settings.payments, { publicUrl, secrets }),
  ]
}
