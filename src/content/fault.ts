/** Content of the operator's that cannot be published; the message is a sentence for the operator. */
export class ContentFault extends Error {}
