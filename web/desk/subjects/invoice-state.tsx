import { useTranslation } from '../../state/i18n.ts'
import { Badge, type Tone } from '../parts/badge.tsx'

const tones = {
  pending: 'quiet',
  paid: 'good',
  underpaid: 'warning',
  expired: 'quiet',
  cancelled: 'quiet',
  partly_refunded: 'warning',
  refunded: 'warning',
} as const satisfies Record<string, Tone>

export function InvoiceState({ state, disputed }: { state: keyof typeof tones; disputed: boolean }) {
  const { t } = useTranslation('deskPages')
  if (disputed) return <Badge tone="bad">{t('invoices.disputed')}</Badge>
  return <Badge tone={tones[state]}>{t(`invoiceState.${state}`)}</Badge>
}
