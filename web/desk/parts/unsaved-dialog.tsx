import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useUnsaved } from '../state/unsaved.ts'

/** Asks before a page with unsaved edits is left. */
export function UnsavedDialog({ isUnsaved }: { isUnsaved: boolean }) {
  const { t } = useTranslation('desk')
  const blocked = useUnsaved(isUnsaved)
  if (blocked === null) return null
  return (
    <Dialog
      open
      compact
      onClose={blocked.stay}
      title={t('unsaved.title')}
      description={t('unsaved.text')}
      closeLabel={t('close')}
      footer={
        <>
          <Button variant="danger" onClick={blocked.leave}>
            {t('unsaved.leave')}
          </Button>
          <Button variant="primary" onClick={blocked.stay}>
            {t('unsaved.stay')}
          </Button>
        </>
      }
    >
      {null}
    </Dialog>
  )
}
