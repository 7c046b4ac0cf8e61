import { useTranslation } from '../../state/i18n.ts'
import type { FactorWords } from '../../ui/factors/factor-words.ts'

/** The desk's texts of second factors. */
export function useFactorWords(): FactorWords {
  const { t } = useTranslation('desk')
  return {
    totp: t('factor.totp'),
    totpHint: t('factor.totpHint'),
    recovery: t('factor.recovery'),
    recoveryHint: t('factor.recoveryHint'),
    password: t('signIn.password'),
    show: t('password.show'),
    hide: t('password.hide'),
    passkeyHint: t('factor.passkeyHint'),
    usePasskey: t('factor.usePasskey'),
    with: {
      totp: t('factor.with.totp'),
      passkey: t('factor.with.passkey'),
      recovery_code: t('factor.with.recovery_code'),
      password: t('factor.with.password'),
    },
    declined: t('passkey.declined'),
    failed: t('passkey.failed'),
    qr: t('totp.qr'),
    scan: t('totp.scan'),
    orType: t('totp.orType'),
    firstCode: t('totp.code'),
    codesText: t('recovery.text'),
    download: t('recovery.download'),
    copy: t('copy.act'),
    copied: t('copy.done'),
    copyFailed: t('copy.failed'),
  }
}
