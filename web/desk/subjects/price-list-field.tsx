import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '../../state/i18n.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { Fault } from '../parts/loaded.tsx'
import { query } from '../state/api.ts'

interface PriceListFieldProps {
  /** The id of a list; empty: the shop's prices. */
  value: string
  onChange: (id: string) => void
}

/** Chooses a price list, or the shop's prices. */
export function PriceListField({ value, onChange }: PriceListFieldProps) {
  const { t } = useTranslation('deskPages')
  const lists = useQuery(query('price_lists', {}))
  const named = (lists.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <SelectField
        label={t('priceLists.one')}
        value={value}
        options={[{ value: '', label: t('priceLists.shopPrices') }, ...named]}
        onChange={onChange}
      />
      {lists.error !== null && <Fault text={lists.error.message} />}
    </>
  )
}
