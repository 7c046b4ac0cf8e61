import { useMutation } from '@tanstack/react-query'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { toastFailure } from '../toast-failure.ts'

/** Sends the e-mail with which the customer confirms their address again. */
export function useResend() {
  const { t } = useTranslation('userBtns')
  return useMutation({
    mutationFn: () => call('resend_confirmation', {}),
    onSuccess: () => toast.success(t('confirmSent')),
    onError: (fault) => toastFailure(fault, t('confirmFailed')),
  })
}
