import { useTranslation } from '../app/i18n.ts'

/** What the parts of a hidden secret are called. */
export function useSecretWords() {
  const { t } = useTranslation('userPanel')
  return {
    show: t('secret.show'),
    hide: t('secret.hide'),
    hidden: t('secret.hidden'),
    copy: t('copy.act'),
    copied: t('copy.done'),
    copyFailed: t('copy.failed'),
  }
}
