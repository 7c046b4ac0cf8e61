import { printSetting, type SettingName, shopSettings } from '#contract/desk/shop-settings'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'

/** A value of a setting with its unit, as people read it. */
export function useSettingText(): (name: SettingName, value: string) => string {
  const { t } = useTranslation('deskSettings')
  const { usd } = useFigures()
  return (name, value) => {
    const { unit } = shopSettings[name]
    if (unit === 'usd') return usd(value)
    if (unit === 'flag') return t(`settings.flag.${value === '1' ? 'yes' : 'no'}`)
    if (unit === 'months' && value === '0') return t('settings.forEver')
    return t(`settings.unit.${unit}`, { count: Number(printSetting(name, BigInt(value))) })
  }
}
