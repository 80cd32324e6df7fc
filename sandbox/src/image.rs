//! The two pictures of the sandbox's media library, which records may feature by number.

use serde_json::{Map, Value as Json, json};

use super::address::Address;

/// An image attachment.
#[derive(Debug)]
struct Image {
    id: u64,
    name: &'static str,
    width: u32,
    height: u32,
    bytes: u32,
    sizes: [(&'static str, u32, u32, u32); 3],
}

static IMAGES: [Image; 2] = [
    Image {
        id: 5,
        name: "lanterns",
        width: 1200,
        height: 900,
        bytes: 48_213,
        sizes: [
            ("medium", 300, 225, 6_120),
            ("thumbnail", 150, 150, 2_884),
            ("medium_large", 768, 576, 27_340),
        ],
    },
    Image {
        id: 6,
        name: "harbour",
        width: 1600,
        height: 900,
        bytes: 61_987,
        sizes: [
            ("medium", 300, 169, 5_402),
            ("thumbnail", 150, 150, 2_951),
            ("medium_large", 768, 432, 24_018),
        ],
    },
];

/// The last number an image has; posts start after it.
pub(super) const LAST_ID: u64 = 6;

/// Whether there is an image of this number.
pub(super) fn exists(id: u64) -> bool {
    find(id).is_some()
}

/// The address of an image.
pub(super) fn url(id: u64, address: &Address) -> Option<String> {
    find(id).map(|image| address.upload(&format!("{}.png", image.name)))
}

/// An image as records show it.
pub(super) fn to_json(id: u64, address: &Address) -> Option<Json> {
    let image = find(id)?;
    let sizes = image.sizes.iter().map(|&(name, width, height, bytes)| {
        let file = format!("{}-{width}x{height}.png", image.name);
        let size = json!({
            "width": width,
            "height": height,
            "mime-type": "image/png",
            "filesize": bytes,
            "url": address.upload(&file),
        });
        (name.to_owned(), size)
    });
    Some(json!({
        "url": url(id, address),
        "id": image.id,
        "extension": "png",
        "width": image.width,
        "height": image.height,
        "filesize": image.bytes,
        "sizes": sizes.collect::<Map<_, _>>(),
    }))
}

fn find(id: u64) -> Option<&'static Image> {
    IMAGES.iter().find(|image| image.id == id)
}
