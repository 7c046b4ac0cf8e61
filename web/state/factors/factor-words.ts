import type { FactorWords } from '../../ui/factors/factor-words.ts'
import { useTranslation } from '../i18n.ts'

/** The texts of second factors for customers. */
export function useFactorWords(): FactorWords {
  const { t } = useTranslation('factors')
  return {
    totp: t('totp'),
    totpHint: t('totpHint'),
    recovery: t('recovery'),
    recoveryHint: t('recoveryHint'),
    password: t('password'),
    show: t('show'),
    hide: t('hide'),
    passkeyHint: t('passkeyHint'),
    usePasskey: t('usePasskey'),
    with: {
      totp: t('withTotp'),
      passkey: t('withPasskey'),
      recovery_code: t('withRecovery'),
      password: t('withPassword'),
    },
    declined: t('declined'),
    failed: t('failed'),
    qr: t('qr'),
    scan: t('scan'),
    orType: t('orType'),
    firstCode: t('firstCode'),
    codesText: t('codesText'),
    download: t('download'),
    copy: t('copy'),
    copied: t('copied'),
    copyFailed: t('copyFailed'),
  }
}
