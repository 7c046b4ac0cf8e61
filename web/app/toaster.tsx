import { useEffect } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import { useTranslation } from './i18n.ts'
import 'sonner/dist/styles.css'
import './toaster.css'
import { toasterMounted } from './toast.ts'

/** A notice must not cover the way out of the account. */
const belowHeader = { top: 76, right: 16, left: 16 }

export default function Toaster() {
  const { t } = useTranslation('notifications')
  // Effects run from the inside out: the library's own subscription is there before this one.
  useEffect(() => toasterMounted((kind, text) => toast[kind](text)), [])
  return (
    <Sonner
      position="top-right"
      duration={3000}
      containerAriaLabel={t('region')}
      visibleToasts={4}
      gap={8}
      offset={belowHeader}
      mobileOffset={belowHeader}
      closeButton
      toastOptions={{ closeButtonAriaLabel: t('close') }}
    />
  )
}
