/** Content of the operator that cannot be published; the message is a sentence for the operator. */
export class ContentFault extends Error {}
