import { type Language, languages } from '#contract/language'
import { changeLanguage, rememberLanguage, useLanguage, useTranslation } from '../../state/i18n.ts'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { refreshAll } from '../state/api.ts'

/** The language, which the server's sentences follow. */
export function LanguageChoice() {
  const { t } = useTranslation('desk')
  const language = useLanguage()
  const choose = (next: Language) => {
    rememberLanguage(next)
    void changeLanguage(next).then(refreshAll)
  }
  return (
    <SelectField
      label={t('language')}
      labelHidden
      value={language}
      options={languages.map((value) => ({ value, label: value.toUpperCase() }))}
      onChange={choose}
    />
  )
}
