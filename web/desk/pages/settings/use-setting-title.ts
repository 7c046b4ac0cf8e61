import { offeredMethod, type SettingName, type SwitchedMethod } from '#contract/desk/shop-settings'
import { methodTitle } from '#contract/invoices'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'

type OwnName = Exclude<SettingName, `offer_${SwitchedMethod}`>

/** The title of a setting, and what it does. The settings of payment methods share their texts. */
export function useSettingTitle(): (name: SettingName) => { title: string; about: string } {
  const { t } = useTranslation('deskSettings')
  const language = useLanguage()
  return (name) => {
    const method = offeredMethod(name)
    if (method !== null)
      return {
        title: t('setting.offer', { method: methodTitle(method, language, 'desk') }),
        about: t('setting.offerText'),
      }
    const own = name as OwnName
    return { title: t(`setting.${own}`), about: t(`setting.${own}Text`) }
  }
}
