import { useState } from 'react'
import { isForeignCurrency } from '#contract/rates/rates'
import { useTranslation } from '../../../../state/i18n.ts'
import { SelectField } from '../../../../ui/fields/select-field.tsx'
import { currencyName } from '../../../../ui/format.ts'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { useFigures } from '../../../parts/use-figures.ts'
import { useAct } from '../../../state/use-act.ts'
import type { Currency } from './rate-form.ts'

/** Shows prices in one more currency of ISO 4217. */
export function AddDialog({ known, onClose }: { known: readonly Currency[]; onClose: () => void }) {
  const { t } = useTranslation(['deskPages', 'deskCurrencies'])
  const { language } = useFigures()
  const [code, setCode] = useState('')
  const { pending, fault, run } = useAct('set_display_currency', onClose)
  const shown = known.filter((one) => one.shown).map((one) => one.code)
  const codes = Intl.supportedValuesOf('currency').filter(
    (one) => isForeignCurrency(one) && !shown.includes(one),
  )
  return (
    <ActDialog
      title={t('deskCurrencies:addTitle')}
      description={t('deskCurrencies:addText')}
      submit={t('deskCurrencies:doAdd')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={code !== ''}
      onClose={onClose}
      onSubmit={() => run({ currency: code, shown: true })}
    >
      <SelectField
        label={t('deskCurrencies:currency')}
        value={code}
        options={[
          { value: '', label: '—' },
          ...codes.map((value) => ({ value, label: `${value}, ${currencyName(value, language)}` })),
        ]}
        onChange={setCode}
      />
    </ActDialog>
  )
}
