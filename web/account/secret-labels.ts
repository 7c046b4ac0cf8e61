import { useTranslation } from '../state/i18n.ts'

/** The labels of a `SecretField`. */
export function useSecretLabels() {
  const { t } = useTranslation('userBtns')
  return {
    show: t('secret.show'),
    hide: t('secret.hide'),
    hidden: t('secret.hidden'),
    copy: t('copy.act'),
    copied: t('copy.done'),
    copyFailed: t('copy.failed'),
  }
}
