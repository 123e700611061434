/**
 * What `provenance=iptc` writes: that the picture is a photo altered by an algorithm. IPTC's Digital Source Type, a
 * NewsCodes URI in XMP (IPTC Photo Metadata Standard 2025.1, "Digital Source Type").
 */
const DIGITAL_SOURCE_TYPE = 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicallyEnhanced';

export const provenanceXmp = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="${DIGITAL_SOURCE_TYPE}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const APP1 = 0xe1;
const SIGNATURE = 'http://ns.adobe.com/xap/1.0/\0';
/** Start of image, then our encoder's JFIF segment. */
const AFTER_JFIF = 2 + 18;

/** A JPEG of our own encoder with an XMP segment (XMP specification part 3, 1.1.3). */
export const withXmpSegment = (jpeg: Uint8Array, xmp: string): Uint8Array => {
  const body = new TextEncoder().encode(SIGNATURE + xmp);
  const length = body.length + 2;
  return Buffer.concat([
    jpeg.subarray(0, AFTER_JFIF),
    Uint8Array.of(0xff, APP1, length >> 8, length & 255),
    body,
    jpeg.subarray(AFTER_JFIF),
  ]);
};
