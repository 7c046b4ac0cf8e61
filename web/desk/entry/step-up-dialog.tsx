import { useTranslation } from '../../state/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { setSession } from '../state/api.ts'
import { useSession } from '../state/session.ts'
import { answerStepUp, useIsStepUpOpen } from '../state/step-up.ts'
import { ProveFactor } from './prove-factor.tsx'

/** Asks for the second factor once more; the call that needed it goes on by itself. */
export function StepUpDialog() {
  const { t } = useTranslation('desk')
  const isOpen = useIsStepUpOpen()
  const session = useSession()
  return (
    <Dialog
      open={isOpen}
      compact
      onClose={() => answerStepUp(false)}
      title={t('stepUp.title')}
      description={t('stepUp.text')}
      closeLabel={t('close')}
    >
      <ProveFactor
        session={session}
        submit={t('stepUp.submit')}
        onProved={(next) => {
          setSession(next)
          answerStepUp(true)
        }}
      />
    </Dialog>
  )
}
