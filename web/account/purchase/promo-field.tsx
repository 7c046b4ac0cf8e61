import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './promo-field.module.css'
import type { Promocode } from './quote.ts'
import { maxCodeLength } from './use-choices.ts'

interface PromoFieldProps {
  value: string
  promocode: Promocode
  onChange: (code: string) => void
}

/** The promo code and its discount. */
export function PromoField({ value, promocode, onChange }: PromoFieldProps) {
  const { t } = useTranslation('purchase')
  return (
    <TextField
      label={t('promocode')}
      placeholder={t('promocodePlaceholder')}
      value={value}
      maxLength={maxCodeLength}
      mono
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      className={styles.promo ?? ''}
      error={promocode.state === 'unknown' ? t('promocodeUnknown') : promocode.reason}
      hint={<PromoNote promocode={promocode} />}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function PromoNote({ promocode }: { promocode: Promocode }) {
  const { t } = useTranslation('purchase')
  const { percent } = useFormat()
  const texts = {
    none: '\u00a0',
    unknown: '\u00a0',
    refused: '\u00a0',
    checking: t('promocodeChecking'),
    applied:
      promocode.openInvoice === undefined
        ? t('promocodeApplied', { percent: percent(promocode.discount) })
        : t('promocodeShared', { percent: percent(promocode.discount), number: promocode.openInvoice }),
    failed: t('promocodeFailed'),
  }
  return (
    <span role="status" className={promocode.state === 'applied' ? styles.applied : undefined}>
      {texts[promocode.state]}
    </span>
  )
}
