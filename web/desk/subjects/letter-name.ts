import { useCallback } from 'react'
import { letterTemplates } from '#contract/desk/choices'
import { useTranslation } from '../../state/i18n.ts'

const isKnownLetter = (template: string): template is (typeof letterTemplates)[number] =>
  (letterTemplates as readonly string[]).includes(template)

/** The name of a letter. */
export function useLetterName(): (template: string) => string {
  const { t } = useTranslation('deskCustomer')
  return useCallback(
    (template) => (isKnownLetter(template) ? t(`letters.template.${template}`) : template),
    [t],
  )
}
