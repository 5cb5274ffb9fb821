plugins {
    id("com.android.library") version "8.5.2"
}

android {
    namespace = "org.example.@PACKAGE@"
    compileSdk = 34

    defaultConfig {
        // Phones with Vulkan 1.1 have 28 or later; elsewhere `clvk_device_open` fails with a reason.
        minSdk = 24
        ndk {
            abiFilters += listOf("arm64-v8a", "x86_64")
        }
    }

    externalNativeBuild {
        cmake {
            path = file("CMakeLists.txt")
        }
    }
}
